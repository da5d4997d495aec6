"""Run with: python3 -m unittest discover -s calibration/recorder/tests"""

import gzip
import json
import math
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from foretoken_recorder import MarginalsRecorder  # noqa: E402


class RecorderTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "run.jsonl")

    def tearDown(self):
        self.folder.cleanup()

    def lines(self, path=None):
        opener = gzip.open if (path or self.path).endswith(".gz") else open
        with opener(path or self.path, "rt", encoding="utf-8") as f:
            return [json.loads(line) for line in f]

    def test_ranks_and_normalised_log_probs(self):
        with MarginalsRecorder(self.path, top_k=2, drafter="d", temperature=0.0) as recorder:
            recorder.round("q", [[1.0, 3.0, 2.0], [0.0, 0.0, 5.0]], [2, 0])
        header, line = self.lines()
        self.assertEqual({"schema": "foretoken/marginals/1", "drafter": "d", "temperature": 0.0}, header)
        self.assertEqual([1, 1], line["target_ranks"])  # token 2 is the second choice; token 0 the first of two ties
        total = math.log(math.exp(1) + math.exp(3) + math.exp(2))
        self.assertAlmostEqual(3 - total, line["log_probs"][0][0], places=12)
        self.assertAlmostEqual(2 - total, line["log_probs"][0][1], places=12)

    def test_a_token_beyond_the_candidates_has_no_rank(self):
        with MarginalsRecorder(self.path, top_k=1) as recorder:
            recorder.round("q", [[1.0, 3.0]], [0])
        self.assertEqual([None], self.lines()[1]["target_ranks"])

    def test_rounds_are_numbered_per_request_and_tokens_may_be_fewer(self):
        with MarginalsRecorder(self.path) as recorder:
            for request in ("a", "b", "a"):
                recorder.round(request, [[0.0, 1.0], [1.0, 0.0]], [1])
        self.assertEqual([("a", 0), ("b", 0), ("a", 1)], [(x["request"], x["round"]) for x in self.lines()[1:]])
        self.assertEqual(1, len(self.lines()[1]["target_ranks"]))

    def test_compressed(self):
        path = self.path + ".gz"
        with MarginalsRecorder(path) as recorder:
            recorder.round_top_k("q", [[-0.1, -2.5]], [[7, 9]], [9])
        self.assertEqual([1], self.lines(path)[1]["target_ranks"])

    def test_refuses_what_is_no_number_and_what_rises(self):
        with MarginalsRecorder(self.path) as recorder:
            with self.assertRaises(ValueError):
                recorder.round("q", [[float("nan"), float("nan")]], [0])
            with self.assertRaises(ValueError):
                recorder.round_top_k("q", [[-2.0, -1.0]], [[1, 2]], [1])
        with self.assertRaises(ValueError):
            MarginalsRecorder(self.path, top_k=0)


if __name__ == "__main__":
    unittest.main()
