"""What prepare.py made, on the device, in the words of a vocabulary."""

import io
import json
import lzma

import numpy
import torch

from vocabulary import Vocabulary


class Prepared:
    """The arrays as they were written: read once for several vocabularies."""

    def __init__(self, folder):
        with lzma.open(folder / "pairs.npz.xz") as packed:
            self.arrays = dict(numpy.load(io.BytesIO(packed.read())))
        self.names = json.loads(str(self.arrays.pop("names")))
        self.words = (folder / "words.txt").read_text().splitlines()


class Pairs:
    """Pairs of bags of words of a vocabulary."""

    def __init__(self, prepared, words, limit):
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.names = prepared.names
        self.vocabulary = prepared.words[: min(words, prepared.names["most"])]
        self.count = min(len(prepared.arrays["whole"]), limit)
        for column in ("package", "kind", "language", "place", "whole"):
            setattr(self, column, self._on_device(prepared.arrays[column][: self.count]))
        pieces, ends = self._pieces(prepared.words)
        for side in ("text", "code"):
            length = self._on_device(prepared.arrays[f"{side}_length"][: self.count])
            numbers = self._on_device(prepared.arrays[side][: int(length.sum())])
            times = self._on_device(prepared.arrays["count"][: len(numbers)]) if side == "code" else torch.ones_like(numbers)
            self._set_bags(side, numbers, times, length, pieces, ends)
        # One without any known word can't be learned from.
        self.is_known = (self.text_starts.diff() > 0) & (self.code_starts.diff() > 0)

    def _on_device(self, values):
        return torch.tensor(values.astype("int64"), device=self.device)

    def _pieces(self, words):
        """The numbers of each word's pieces, one after the other, and where each word's end."""
        vocabulary = Vocabulary(self.vocabulary)
        numbers = [vocabulary.pieces(word) for word in words[len(self.vocabulary) :]]
        counts = numpy.array([1] * len(self.vocabulary) + [len(n) for n in numbers])
        flat = numpy.fromiter((number for some in numbers for number in some), dtype="int64")
        flat = numpy.concatenate([numpy.arange(len(self.vocabulary)), flat])
        return self._on_device(flat), self._on_device(numpy.concatenate([[0], numpy.cumsum(counts)]))

    def _set_bags(self, side, numbers, times, length, pieces, ends):
        """Each word by its pieces, each number once in a bag."""
        owner = torch.repeat_interleave(torch.arange(self.count, device=self.device), length)
        counts = ends[numbers + 1] - ends[numbers]
        within = torch.arange(int(counts.sum()), device=self.device) - torch.repeat_interleave(counts.cumsum(0) - counts, counts)
        number = pieces[torch.repeat_interleave(ends[numbers], counts) + within]
        key = torch.repeat_interleave(owner, counts) * len(self.vocabulary) + number
        key, place = torch.unique(key, return_inverse=True)
        often = torch.zeros(len(key), dtype=torch.int64, device=self.device).index_add(0, place, torch.repeat_interleave(times, counts))
        size = torch.bincount(key // len(self.vocabulary), minlength=self.count)
        setattr(self, side, key % len(self.vocabulary))
        setattr(self, f"{side}_starts", torch.cat([torch.zeros_like(size[:1]), size.cumsum(0)]))
        if side == "code":
            self.times = torch.log2(1.0 + often.clamp(max=255).float())

    def bag(self, side, chosen):
        """Words of some pairs' texts or codes, where each one's begin, and what the words count."""
        starts = getattr(self, f"{side}_starts")
        lengths = starts[chosen + 1] - starts[chosen]
        first = torch.cumsum(lengths, 0) - lengths
        place = torch.repeat_interleave(starts[chosen] - first, lengths)
        place = place + torch.arange(len(place), device=self.device)
        times = self.times[place] if side == "code" else torch.ones_like(place, dtype=torch.float32)
        return getattr(self, side)[place], first, times
