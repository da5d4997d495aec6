"""Writes foretoken/marginals/1 from a drafter loop: what the drafter believed, and what the target then said.

No dependency beyond the standard library. Anything with ``.tolist()`` (numpy arrays, torch tensors on the CPU) or plain lists
will do. One file per run; ``.gz`` names are compressed. Lines are complete when written, so an interrupted run keeps what it has.

For a block drafter (DFlash and its like), in the loop that drafts and verifies:

    recorder = MarginalsRecorder("run.jsonl.gz", top_k=24, drafter="qwen3.6-27b-dflash", target="qwen3.6-27b", temperature=0.0)
    ...
    logits = drafter(block)                       # [positions, vocabulary] of one request, the root's own position left out
    verified = target_tokens(...)                 # the target's own tokens along the accepted path, bonus token included
    recorder.round(request_id, logits, verified)  # once per request and round
    ...
    recorder.close()

Then: foretoken calibrate acceptance run.jsonl.gz
"""

import gzip
import json
import math

SCHEMA = "foretoken/marginals/1"


def _rows(values):
    """Nested lists of numbers."""
    if hasattr(values, "tolist"):
        values = values.tolist()
    return [row.tolist() if hasattr(row, "tolist") else list(row) for row in values]


def _log_softmax(row):
    top = max(row)
    if not math.isfinite(top):
        raise ValueError("logits must have a finite largest value, found %r" % (top,))
    log_sum = top + math.log(sum(math.exp(x - top) for x in row))
    return [x - log_sum for x in row]


def _top(row, k):
    """The k largest entries as (index, value), largest first; ties by index."""
    order = sorted(range(len(row)), key=lambda i: (-row[i], i))[:k]
    return [(i, row[i]) for i in order]


class MarginalsRecorder:
    """Records rounds of one run. Not safe for concurrent use."""

    def __init__(self, path, top_k=24, drafter=None, target=None, temperature=None):
        if top_k < 1:
            raise ValueError("top_k must be at least 1, found %r" % (top_k,))
        self._top_k = top_k
        self._rounds = {}
        if str(path).endswith(".gz"):
            self._file = gzip.open(path, "wt", encoding="utf-8")
        else:
            self._file = open(path, "w", encoding="utf-8")
        header = {"schema": SCHEMA}
        for key, value in (("drafter", drafter), ("target", target), ("temperature", temperature)):
            if value is not None:
                header[key] = value
        self._write(header)

    def round(self, request, logits, target_tokens):
        """One round of one request.

        logits: [positions, vocabulary], unnormalised or log-probabilities, position 1 first
        target_tokens: the target's own token ids at positions 1, 2, ... as far as they are known (accepted drafts, then the
            bonus or corrected token); fewer than positions when the walk stopped earlier
        """
        rows = [_log_softmax(row) for row in _rows(logits)]
        tokens = target_tokens.tolist() if hasattr(target_tokens, "tolist") else list(target_tokens)
        if len(tokens) > len(rows):
            tokens = tokens[: len(rows)]
        candidates = [_top(row, self._top_k) for row in rows]
        self._record(
            request,
            [[value for _, value in c] for c in candidates],
            [self._rank(c, token) for c, token in zip(candidates, tokens)],
        )

    def round_top_k(self, request, log_probs, ids, target_tokens):
        """The same from the drafter's own top-k: log_probs and ids are [positions, k], largest first, natural logarithms."""
        probs = _rows(log_probs)
        candidates = [list(zip(i, p))[: self._top_k] for i, p in zip(_rows(ids), probs)]
        tokens = target_tokens.tolist() if hasattr(target_tokens, "tolist") else list(target_tokens)
        self._record(
            request,
            [[value for _, value in c] for c in candidates],
            [self._rank(c, token) for c, token in zip(candidates, tokens)],
        )

    @staticmethod
    def _rank(candidates, token):
        for rank, (candidate, _) in enumerate(candidates):
            if candidate == token:
                return rank
        return None

    def _record(self, request, log_probs, ranks):
        for depth, row in enumerate(log_probs):
            for value in row:
                if not math.isfinite(value):
                    raise ValueError("log-probability at position %d is not finite: %r" % (depth + 1, value))
            if any(b > a for a, b in zip(row, row[1:])):
                raise ValueError("log-probabilities at position %d do not fall" % (depth + 1))
        request = str(request)
        number = self._rounds.get(request, 0)
        self._rounds[request] = number + 1
        self._write({"request": request, "round": number, "log_probs": log_probs, "target_ranks": ranks})

    def _write(self, line):
        self._file.write(json.dumps(line, separators=(",", ":"), allow_nan=False) + "\n")

    def close(self):
        """Flushes and closes; safe to call twice."""
        if not self._file.closed:
            self._file.flush()
            self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()
