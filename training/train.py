"""Trains the bag of word vectors.

    python training/train.py PREPARED OUT [--words 32000] [--size 256] [--epochs 4] [--batch 2048] [--temperature 0.06] [--neighbours 1024] ...

PREPARED is what prepare.py made. OUT gets vocabulary.txt and model.npz: the vectors, the weights of words in questions and in code; and the
figures. A text's vector is the sum of its words' vectors, each times its weight (for code: also times the logarithm of its count), made length
one. The vectors start at random; nothing else goes in. A batch holds runs of pairs of one package, so that what a question has to be told apart
from is what it will be told apart from when searching. The loss is taken at several lengths of the vector, so that its beginning works alone.
Runs on a GPU where there is one; on a CPU, use fewer --pairs.
"""

import argparse
import json
import pathlib
import time

import numpy
import torch
import torch.nn.functional as F

from arrays import Pairs, Prepared

LENGTHS = (32, 64, 128, 256)


class Bag(torch.nn.Module):
    def __init__(self, words, size, apart):
        super().__init__()
        self.vectors = torch.nn.Parameter(torch.randn(words, size) / size**0.5)
        self.asked = torch.nn.Parameter(torch.zeros(words))
        self.written = torch.nn.Parameter(torch.zeros(words))
        self.question_vectors = torch.nn.Parameter(self.vectors.detach().clone()) if apart else None

    def weights(self, side):
        return F.softplus(self.asked if side == "text" else self.written) / 0.6931

    def forward(self, bag, side, dropped=0.0):
        words, starts, times = bag
        weight = self.weights(side)[words] * times
        if dropped:
            weight = weight * (torch.rand_like(weight) >= dropped)
        table = self.question_vectors if side == "text" and self.question_vectors is not None else self.vectors
        return F.embedding_bag(words, table, starts, mode="sum", per_sample_weights=weight)


def batches(pairs, chosen, size, neighbours, generator):
    """Runs of `neighbours` pairs of one package each, in random order, cut into batches."""
    shuffled = chosen[torch.randperm(len(chosen), generator=generator).to(chosen.device)]
    by_package = shuffled[torch.argsort(pairs.package[shuffled], stable=True)]
    runs = by_package[: len(by_package) // neighbours * neighbours].view(-1, neighbours)
    runs = runs[torch.randperm(len(runs), generator=generator).to(chosen.device)]
    flat = runs.reshape(-1)
    for start in range(0, len(flat) - size + 1, size):
        yield flat[start : start + size]


def no_wrong_answers(pairs, asked, written):
    """Where a code is no wrong answer to a text: a text that speaks of a whole file is no worse answered by another part of that file."""
    same_file = pairs.place[asked][:, None] == pairs.place[written][None, :]
    return same_file & (pairs.whole[asked][:, None] | pairs.whole[written][None, :]).bool()


def loss_of(model, pairs, chosen, given, hard=None):
    count = len(chosen)
    asked = model(pairs.bag("text", chosen), "text", given.drop_text)
    codes = chosen if hard is None else torch.cat([chosen, hard])
    written = model(pairs.bag("code", codes), "code", given.drop_code)
    forgiven = no_wrong_answers(pairs, chosen, codes) | (chosen[:, None] == codes[None, :])
    forgiven[:, :count].fill_diagonal_(False)
    right = torch.arange(count, device=chosen.device)
    total = 0.0
    for length in [n for n in LENGTHS if n < asked.shape[1]] + [asked.shape[1]]:
        alike = F.normalize(asked[:, :length], dim=1) @ F.normalize(written[:, :length], dim=1).T / given.temperature
        alike = alike.masked_fill(forgiven, float("-inf"))
        part = F.cross_entropy(alike, right) + given.backwards * F.cross_entropy(alike[:, :count].T, right)
        total = total + part * (1.0 if length == asked.shape[1] else given.short)
    return total


@torch.no_grad()
def nearest_wrong(model, pairs, chosen, count):
    """For each pair the wrong codes of its package that are nearest to its text."""
    found = torch.zeros(pairs.count, count, dtype=torch.int64, device=chosen.device)
    found[:] = torch.arange(pairs.count, device=chosen.device)[:, None]
    ordered = chosen[torch.argsort(pairs.package[chosen], stable=True)]
    for mine in torch.split(ordered, torch.bincount(pairs.package[ordered]).tolist()):
        if len(mine) <= count + 1:
            continue
        asked = F.normalize(model(pairs.bag("text", mine), "text"), dim=1)
        written = F.normalize(model(pairs.bag("code", mine), "code"), dim=1)
        alike = asked @ written.T
        # Another comment on the same code is no wrong answer either.
        same = no_wrong_answers(pairs, mine, mine) | (written @ written.T > 0.95)
        found[mine] = mine[alike.masked_fill(same, -2).topk(count, dim=1).indices]
    return found


@torch.no_grad()
def validate(model, pairs, held_out, size=None):
    """Mean reciprocal rank of the right code among all of the package's held-out pairs, by kind and language. Of codes that are equally near, as of
    a text without a known word, the right one stands in the middle."""
    ranks, kinds, languages = [], [], []
    for package in torch.unique(pairs.package[held_out]).tolist():
        mine = held_out[pairs.package[held_out] == package][:3000]
        if len(mine) < 30:
            continue
        asked = F.normalize(model(pairs.bag("text", mine), "text")[:, :size], dim=1)
        written = F.normalize(model(pairs.bag("code", mine), "code")[:, :size], dim=1)
        alike = asked @ written.T
        same = (pairs.place[mine][:, None] == pairs.place[mine][None, :]) & pairs.whole[mine][:, None].bool()
        best = alike.masked_fill(~same, -2).amax(1).maximum(alike.diagonal())
        nearer, level = (alike > best[:, None]).sum(1), (alike == best[:, None]).sum(1)
        ranks.append(1.0 / (1 + nearer + (level - 1).clamp(min=0) / 2))
        kinds.append(pairs.kind[mine])
        languages.append(pairs.language[mine])
    ranks, kinds, languages = torch.cat(ranks), torch.cat(kinds), torch.cat(languages)
    found = {"all": ranks.mean().item()}
    for groups, names in ((kinds, pairs.names["kind"]), (languages, pairs.names["language"])):
        for number, name in enumerate(names):
            if (groups == number).any():
                found[name] = ranks[groups == number].mean().item()
    return found


def split(pairs, share=20):
    """Every twentieth package is held out whole: which ones is decided by their names, not by the order of the pairs."""
    names = pairs.names["package"]
    by_name = torch.tensor(sorted(range(len(names)), key=names.__getitem__))
    held = torch.zeros(len(names), dtype=torch.bool)
    held[by_name[torch.randperm(len(names), generator=torch.Generator().manual_seed(7))[: max(1, len(names) // share)]]] = True
    everything = torch.arange(pairs.count, device=pairs.package.device)
    is_held = held.to(pairs.package.device)[pairs.package]
    return everything[~is_held], everything[is_held]


def weighed(pairs, chosen, given):
    """The pairs to learn from: without those of some kinds, others more than once."""
    often = {name: 1.0 for name in pairs.names["kind"]} | dict(given.kinds)
    times = torch.tensor([often[name] for name in pairs.names["kind"]], device=chosen.device)[pairs.kind[chosen]]
    counts = torch.bincount(pairs.language[chosen], minlength=len(pairs.names["language"]))
    times = times * (1 + (counts < given.even)[pairs.language[chosen]].float())
    times = times.floor() + (torch.rand(len(chosen), device=chosen.device) < times.frac()).float()
    return torch.repeat_interleave(chosen, times.long())


class Average:
    """The mean of a model's numbers over the last steps."""

    def __init__(self, model, first_step):
        self.model, self.first_step, self.count = model, first_step, 0
        self.sums = [torch.zeros_like(p) for p in model.parameters()]

    @torch.no_grad()
    def add(self, step):
        if step >= self.first_step:
            self.count += 1
            torch._foreach_add_(self.sums, list(self.model.parameters()))

    @torch.no_grad()
    def use(self):
        for p, total in zip(self.model.parameters(), self.sums) if self.count else ():
            p.copy_(total / self.count)


def learn(given, pairs):
    """A model, and what it is worth."""
    torch.manual_seed(given.seed)
    learned, held_out = split(pairs)
    if given.everything:
        learned = torch.cat([learned, held_out])
    learned = weighed(pairs, learned[pairs.is_known[learned]], given)
    model = Bag(len(pairs.vocabulary), given.size, given.apart).to(pairs.device)
    rate = [{"params": [p for n, p in model.named_parameters() if "vectors" in n], "lr": given.rate},
            {"params": [model.asked, model.written], "lr": given.rate * 2}]
    optimiser = torch.optim.Adam(rate, betas=(0.9, 0.98))
    runs = len(learned) // given.batch * given.epochs
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: min(1.0, step / max(1, runs // 20)) * max(0.03, 1 - step / max(1, runs)))
    generator = torch.Generator().manual_seed(given.seed)
    average = Average(model, runs - int(runs * given.average))
    started, step = time.time(), 0
    for epoch in range(given.epochs):
        total, first = 0.0, step
        nearest = nearest_wrong(model, pairs, torch.unique(learned), 8) if given.hard and epoch else None
        for chosen in batches(pairs, learned, given.batch, given.neighbours, generator):
            hard = None if nearest is None else nearest[chosen, torch.randint(8, (len(chosen),), device=chosen.device)]
            optimiser.zero_grad(set_to_none=True)
            loss = loss_of(model, pairs, chosen, given, hard)
            loss.backward()
            optimiser.step()
            schedule.step()
            average.add(step)
            total, step = total + loss.detach(), step + 1
            if time.time() - started > given.seconds:
                break
        print(f"epoch {epoch + 1}: loss {float(total) / max(1, step - first):.3f}, {time.time() - started:.0f} s", flush=True)
    average.use()
    figures = {"held_out": validate(model, pairs, held_out), "held_out_64": validate(model, pairs, held_out, 64)["all"], "seconds": time.time() - started,
               "pairs": len(learned), "given": {k: str(v) for k, v in vars(given).items()}}
    return model, figures


def train(given, prepared=None):
    """Trains, and writes what was learned. Several runs may share what prepare.py made."""
    pairs = Pairs(prepared or Prepared(given.prepared), given.words, given.pairs)
    model, figures = learn(given, pairs)
    print(json.dumps(figures["held_out"]), figures["held_out_64"], flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    extra = {} if model.question_vectors is None else {"question_vectors": model.question_vectors.detach().half().cpu().numpy()}
    numpy.savez(given.out / "model.npz", vectors=model.vectors.detach().half().cpu().numpy(), asked=model.weights("text").detach().cpu().numpy(),
                written=model.weights("code").detach().cpu().numpy(), **extra)
    (given.out / "vocabulary.txt").write_text("".join(word + "\n" for word in pairs.vocabulary))
    (given.out / "figures.json").write_text(json.dumps(figures, indent=1))
    return figures


def kind_times(text):
    kind, _, times = text.partition("=")
    return kind, float(times)


def parser():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prepared", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--words", type=int, default=32_000, help="words of the vocabulary")
    parser.add_argument("--size", type=int, default=256, help="numbers of a vector")
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
    parser.add_argument("--kinds", type=kind_times, nargs="*", default=[("place", 0.0)], metavar="KIND=TIMES",
                        help="how often pairs of a kind come; 0 leaves them out, as those of places by default")
    parser.add_argument("--average", type=float, default=0.0, help="the share of the steps, at the end, that the model is the mean of")
    parser.add_argument("--hard", action="store_true", help="after the first epoch, the nearest wrong codes of a package as further answers")
    parser.add_argument("--pairs", type=int, default=10**9)
    parser.add_argument("--seconds", type=float, default=10**9)
    parser.add_argument("--seed", type=int, default=1)
    return parser


if __name__ == "__main__":
    train(parser().parse_args())
