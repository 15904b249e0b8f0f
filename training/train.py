"""Trains the bag of word vectors.

    python training/train.py PREPARED OUT [--size 256] [--epochs 4] [--batch 2048] [--temperature 0.06] [--neighbours 1024] [--seconds 600] ...

PREPARED is what prepare.py made. OUT gets model.npz: the vectors, the weights of words in questions and in code, and the figures.
A text's vector is the sum of its words' vectors, each times its weight (for code: also times the logarithm of its count), made length one. The
vectors start at random; nothing else goes in. A batch holds runs of pairs of one package, so that what a question has to be told apart from is
what it will be told apart from when searching. The loss is taken at several lengths of the vector, so that its beginning works alone.
Runs on a GPU where there is one; on a CPU, use fewer --pairs.
"""

import argparse
import json
import lzma
import io
import pathlib
import time

import numpy
import torch
import torch.nn.functional as F

LENGTHS = (32, 64, 128, 256)


class Pairs:
    """The arrays of prepare.py, on the device."""

    def __init__(self, folder, device, limit):
        with lzma.open(folder / "pairs.npz.xz") as packed:
            arrays = dict(numpy.load(io.BytesIO(packed.read())))
        self.names = json.loads(str(arrays.pop("names")))
        self.count = min(len(arrays["whole"]), limit)
        for side in ("text", "code"):
            length = arrays[f"{side}_length"].astype("int64")
            starts = numpy.concatenate([[0], numpy.cumsum(length)])
            setattr(self, f"{side}_starts", torch.tensor(starts, device=device))
            setattr(self, side, torch.tensor(arrays[side].astype("int64"), device=device))
        self.times = torch.tensor(numpy.log2(1.0 + arrays["count"].astype("float32")), device=device)
        for column in ("package", "kind", "language", "place", "whole"):
            setattr(self, column, torch.tensor(arrays[column].astype("int64"), device=device))

    def bag(self, side, chosen):
        """Words, owners and weights of some pairs' texts or codes."""
        starts = getattr(self, f"{side}_starts")
        lengths = starts[chosen + 1] - starts[chosen]
        owner = torch.repeat_interleave(torch.arange(len(chosen), device=chosen.device), lengths)
        first = torch.cumsum(lengths, 0) - lengths
        place = torch.arange(len(owner), device=chosen.device) - first[owner] + starts[chosen][owner]
        times = self.times[place] if side == "code" else torch.ones_like(place, dtype=torch.float32)
        return getattr(self, side)[place], owner, times


class Bag(torch.nn.Module):
    def __init__(self, words, size, apart):
        super().__init__()
        self.vectors = torch.nn.Parameter(torch.randn(words, size) / size**0.5)
        self.asked = torch.nn.Parameter(torch.zeros(words))
        self.written = torch.nn.Parameter(torch.zeros(words))
        self.question_vectors = torch.nn.Parameter(self.vectors.detach().clone()) if apart else None

    def weights(self, side):
        return F.softplus(self.asked if side == "text" else self.written) / 0.6931

    def forward(self, bag, side, count, dropped=0.0):
        words, owner, times = bag
        weight = self.weights(side)[words] * times
        if dropped:
            weight = weight * (torch.rand_like(weight) >= dropped)
        table = self.question_vectors if side == "text" and self.question_vectors is not None else self.vectors
        sums = torch.zeros(count, table.shape[1], device=words.device)
        return sums.index_add(0, owner, table[words] * weight[:, None])


def batches(pairs, chosen, size, neighbours, generator):
    """Runs of `neighbours` pairs of one package each, in random order, cut into batches."""
    shuffled = chosen[torch.randperm(len(chosen), generator=generator).to(chosen.device)]
    by_package = shuffled[torch.argsort(pairs.package[shuffled], stable=True)]
    runs = by_package[: len(by_package) // neighbours * neighbours].view(-1, neighbours)
    runs = runs[torch.randperm(len(runs), generator=generator).to(chosen.device)]
    flat = runs.reshape(-1)
    for start in range(0, len(flat) - size + 1, size):
        yield flat[start : start + size]


def loss_of(model, pairs, chosen, given):
    count = len(chosen)
    asked = model(pairs.bag("text", chosen), "text", count, given.drop_text)
    written = model(pairs.bag("code", chosen), "code", count, given.drop_code)
    # A text that speaks of a whole file is no worse answered by another part of that file.
    same_file = pairs.place[chosen][:, None] == pairs.place[chosen][None, :]
    forgiven = same_file & (pairs.whole[chosen][:, None] | pairs.whole[chosen][None, :]).bool()
    forgiven.fill_diagonal_(False)
    right = torch.arange(count, device=chosen.device)
    total = 0.0
    for length in [n for n in LENGTHS if n < asked.shape[1]] + [asked.shape[1]]:
        alike = F.normalize(asked[:, :length], dim=1) @ F.normalize(written[:, :length], dim=1).T / given.temperature
        alike = alike.masked_fill(forgiven, float("-inf"))
        part = F.cross_entropy(alike, right) + given.backwards * F.cross_entropy(alike.T, right)
        total = total + part * (1.0 if length == asked.shape[1] else given.short)
    return total


@torch.no_grad()
def validate(model, pairs, held_out, size=None):
    """Mean reciprocal rank of the right code among all of the package's held-out pairs, by kind and language."""
    ranks, kinds, languages = [], [], []
    for package in torch.unique(pairs.package[held_out]).tolist():
        mine = held_out[pairs.package[held_out] == package][:3000]
        if len(mine) < 30:
            continue
        asked = F.normalize(model(pairs.bag("text", mine), "text", len(mine))[:, :size], dim=1)
        written = F.normalize(model(pairs.bag("code", mine), "code", len(mine))[:, :size], dim=1)
        alike = asked @ written.T
        same = (pairs.place[mine][:, None] == pairs.place[mine][None, :]) & pairs.whole[mine][:, None].bool()
        best = alike.masked_fill(~same, -2).amax(1).maximum(alike.diagonal())
        ranks.append(1.0 / (1 + (alike > best[:, None]).sum(1).float()))
        kinds.append(pairs.kind[mine])
        languages.append(pairs.language[mine])
    ranks, kinds, languages = torch.cat(ranks), torch.cat(kinds), torch.cat(languages)
    found = {"all": ranks.mean().item()}
    for title, groups, names in (("kind", kinds, pairs.names["kind"]), ("language", languages, pairs.names["language"])):
        for number, name in enumerate(names):
            if (groups == number).any():
                found[name] = ranks[groups == number].mean().item()
    return found


def split(pairs, device, share=20):
    """Every twentieth package is held out whole."""
    packages = len(pairs.names["package"])
    held = torch.zeros(packages, dtype=torch.bool)
    held[torch.randperm(packages, generator=torch.Generator().manual_seed(7))[: max(1, packages // share)]] = True
    everything = torch.arange(pairs.count, device=device)
    is_held = held.to(device)[pairs.package[: pairs.count]]
    return everything[~is_held], everything[is_held]


def evened(pairs, chosen, fewest):
    """Pairs of languages that have fewer than `fewest` come twice."""
    counts = torch.bincount(pairs.language[chosen], minlength=len(pairs.names["language"]))
    return torch.cat([chosen, chosen[(counts < fewest)[pairs.language[chosen]]]])


def train(given):
    torch.manual_seed(given.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    pairs = Pairs(given.prepared, device, given.pairs)
    words = sum(1 for _ in open(given.prepared / "vocabulary.txt"))
    learned, held_out = split(pairs, device)
    if given.everything:
        learned = torch.cat([learned, held_out])
    learned = evened(pairs, learned, given.even)
    model = Bag(words, given.size, given.apart).to(device)
    rate = [{"params": [p for n, p in model.named_parameters() if "vectors" in n], "lr": given.rate},
            {"params": [model.asked, model.written], "lr": given.rate * 2}]
    optimiser = torch.optim.Adam(rate, betas=(0.9, 0.98))
    runs = len(learned) // given.batch * given.epochs
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: min(1.0, step / max(1, runs // 20)) * max(0.03, 1 - step / max(1, runs)))
    generator = torch.Generator().manual_seed(given.seed)
    started = time.time()
    for epoch in range(given.epochs):
        total, steps = 0.0, 0
        for chosen in batches(pairs, learned, given.batch, given.neighbours, generator):
            optimiser.zero_grad(set_to_none=True)
            loss = loss_of(model, pairs, chosen, given)
            loss.backward()
            optimiser.step()
            schedule.step()
            total, steps = total + loss.detach(), steps + 1
            if time.time() - started > given.seconds:
                break
        print(f"epoch {epoch + 1}: loss {float(total) / max(1, steps):.3f}, {time.time() - started:.0f} s", flush=True)
    figures = {"held_out": validate(model, pairs, held_out), "held_out_64": validate(model, pairs, held_out, 64)["all"], "seconds": time.time() - started,
               "pairs": len(learned), "given": {k: str(v) for k, v in vars(given).items()}}
    print(json.dumps(figures["held_out"]), figures["held_out_64"], flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    extra = {} if model.question_vectors is None else {"question_vectors": model.question_vectors.detach().half().cpu().numpy()}
    numpy.savez(given.out / "model.npz", vectors=model.vectors.detach().half().cpu().numpy(), asked=model.weights("text").detach().cpu().numpy(),
                written=model.weights("code").detach().cpu().numpy(), **extra)
    (given.out / "figures.json").write_text(json.dumps(figures, indent=1))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prepared", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--temperature", type=float, default=0.06)
    parser.add_argument("--neighbours", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=0.003)
    parser.add_argument("--drop-text", type=float, default=0.1)
    parser.add_argument("--drop-code", type=float, default=0.1)
    parser.add_argument("--short", type=float, default=0.3)
    parser.add_argument("--backwards", type=float, default=0.3)
    parser.add_argument("--apart", action="store_true", help="vectors of their own for words of questions")
    parser.add_argument("--everything", action="store_true", help="train on the held-out packages too")
    parser.add_argument("--even", type=int, default=0, help="pairs of languages that have fewer than this come twice")
    parser.add_argument("--pairs", type=int, default=10**9)
    parser.add_argument("--seconds", type=float, default=10**9)
    parser.add_argument("--seed", type=int, default=1)
    train(parser.parse_args(arguments))


if __name__ == "__main__":
    main()
