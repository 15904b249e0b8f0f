"""Words to numbers. The same rules stand in crates/embed/src/vocabulary.rs; fixtures.json holds both to them.

Texts are cut into words by Rust (crates/context/src/tokens.rs), for training too. A word of the vocabulary is one number. Another one of at
most LONGEST letters is cut from the left into the longest known pieces of at least SHORTEST letters; letters that begin no piece are dropped.
"""

SHORTEST = 3
LONGEST = 16


class Vocabulary:
    def __init__(self, words):
        self.words = list(words)
        self.numbers = {word: number for number, word in enumerate(self.words)}
        self.known = {}

    def ids(self, word):
        """The numbers of a word, remembered: words come again."""
        found = self.known.get(word)
        if found is None:
            found = self.known[word] = (self.numbers[word],) if word in self.numbers else tuple(self.pieces(word))
        return found

    def pieces(self, word):
        """The numbers of the pieces of a word that is not in the vocabulary."""
        found = []
        if len(word) > LONGEST or not word.isascii():
            return found
        start = 0
        while start + SHORTEST <= len(word):
            for end in range(len(word), start + SHORTEST - 1, -1):
                if word[start:end] in self.numbers:
                    found.append(self.numbers[word[start:end]])
                    start = end
                    break
            else:
                start += 1
        return found
