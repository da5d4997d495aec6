package dev.foretoken.formats.trace;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.profile.ProfileCatalogue;
import dev.foretoken.sim.method.DraftWork;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.round.GraphPadding;
import dev.foretoken.sim.round.RoundTime;
import dev.foretoken.sim.round.RoundTimeModel;
import dev.foretoken.sim.serving.EngineSetup;
import dev.foretoken.sim.whitebox.AttentionBackend;
import dev.foretoken.sim.whitebox.HostTerms;
import dev.foretoken.sim.whitebox.Kernels;
import dev.foretoken.sim.whitebox.Mode;
import dev.foretoken.sim.whitebox.RoundShape;
import dev.foretoken.sim.whitebox.WhiteBox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** The two public vLLM runs on RTX PRO 6000, and the model of their server: nothing here is fitted on them. */
enum LiveRuns {
    /** Llama-3.1-8B on one card; pure decode at 128 requests: 26.79 ms at a mean KV of 1,048. */
    LLAMA("Llama-3.1-8B", "llama-3.1-8b", 1, 26.79, 1048),
    /** Qwen3-32B on a pair without peer access; pure decode at 128 requests: 59.50 ms at a mean KV of 1,116. */
    QWEN("Qwen3-32B", "qwen3-32b", 2, 59.50, 1116);

    static final String SLOW_PAIR = "pcie5-slow";
    static final String PROFILE = "rtx-pro-6000-server/vllm-0.24.0";
    private static final int MAX_NUM_SEQS = 128;
    private static final int MAX_BATCHED_TOKENS = 2048;

    final String folder;
    final String model;
    final int tp;
    final double decodeMs;
    final double decodeKv;

    LiveRuns(String folder, String model, int tp, double decodeMs, double decodeKv) {
        this.folder = folder;
        this.model = model;
        this.tp = tp;
        this.decodeMs = decodeMs;
        this.decodeKv = decodeKv;
    }

    private static Path data() {
        Path data = Path.of(System.getProperty("foretoken.root", ".")).resolve("../shared/data/vllm_rtxpro6000");
        Assumptions.assumeTrue(Files.isDirectory(data), "the live logs are not here: " + data.normalize());
        return data;
    }

    List<VllmRequestTimes> log() {
        return VllmRequestTimes.read(data().resolve(folder).resolve("requests.jsonl"));
    }

    Map<Integer, Integer> prefixHits() throws IOException {
        JsonNode all =
                new ObjectMapper().readTree(data().resolve("prefix_hits.json").toFile());
        Map<Integer, Integer> hits = new HashMap<>();
        all.get(folder)
                .fields()
                .forEachRemaining(
                        e -> hits.put(Integer.parseInt(e.getKey()), e.getValue().asInt()));
        return hits;
    }

    private static GraphPadding padding() {
        List<Integer> sizes = new ArrayList<>(List.of(1, 2, 4));
        for (int size = 8; size <= 2 * MAX_NUM_SEQS; size += 8) {
            sizes.add(size);
        }
        return new GraphPadding(sizes, false);
    }

    static EngineSetup engine() {
        return EngineSetup.of("vllm")
                .withMaxRunning(MAX_NUM_SEQS)
                .withMaxBatchedTokens(MAX_BATCHED_TOKENS)
                .withBatchesInFlight(2)
                .withPadding(padding());
    }

    RoundTimeModel rounds(String profile, String link, AttentionBackend backend) {
        Catalogue catalogue = Catalogue.bundled();
        Kernels kernels = Kernels.of(
                catalogue.gpu("rtx-pro-6000-server"),
                ProfileCatalogue.bundled().load(profile),
                tp == 1 ? null : catalogue.link(link),
                null,
                backend,
                null,
                Mode.SERVING);
        RoundShape shape = new RoundShape(
                1, DraftWork.NONE, null, null, 1, null, false, true, true, padding(), HostTerms.published("vllm"));
        return WhiteBox.of(kernels, catalogue.model(model), tp, Dtype.BF16, Dtype.BF16, Dtype.FP32, shape);
    }

    RoundTimeModel rounds() {
        return rounds(PROFILE, SLOW_PAIR, AttentionBackend.FA2);
    }

    LiveLogReplay replay(EngineSetup engine, RoundTimeModel rounds, boolean hits) throws IOException {
        return LiveLogReplay.run(log(), hits ? prefixHits() : Map.of(), engine, rounds);
    }

    LiveLogReplay replay(RoundTimeModel rounds) throws IOException {
        return replay(engine(), rounds, true);
    }

    /** The constant per step, ms, that brings the mean TPOT of this run to the log's. */
    double fitPerStepMs() throws IOException {
        double lo = -5;
        double hi = 20;
        RoundTimeModel rounds = rounds();
        for (int i = 0; i < 16; i++) {
            double middle = (lo + hi) / 2;
            if (replay(plus(rounds, middle)).tpot().mean() < 0) {
                lo = middle;
            } else {
                hi = middle;
            }
        }
        return (lo + hi) / 2;
    }

    /** The same rounds with a constant on every step. */
    static RoundTimeModel plus(RoundTimeModel rounds, double ms) {
        return new Changed(rounds) {
            @Override
            public double roundMs(int n, long rows, double context, double longest) {
                return rounds.roundMs(n, rows, context, longest) + ms;
            }

            @Override
            public double mixedRoundMs(int n, long rows, double context, double longest, long prompt, double cached) {
                return rounds.mixedRoundMs(n, rows, context, longest, prompt, cached) + ms;
            }
        };
    }

    /** The same rounds as if all KV lengths were the mean. */
    static RoundTimeModel equalLengths(RoundTimeModel rounds) {
        return new Changed(rounds) {
            @Override
            public double roundMs(int n, long rows, double context, double longest) {
                return rounds.roundMs(n, rows, context, context);
            }

            @Override
            public double mixedRoundMs(int n, long rows, double context, double longest, long prompt, double cached) {
                return rounds.mixedRoundMs(n, rows, context, context, prompt, cached);
            }
        };
    }

    /** Mixed steps as a decode round without its weights plus a prompt chunk: attention as if apart. */
    static RoundTimeModel attentionApart(RoundTimeModel rounds) {
        return new Changed(rounds) {
            @Override
            public double mixedRoundMs(int n, long rows, double context, double longest, long prompt, double cached) {
                double together = rounds.mixedRoundMs(0, 0, 0, 0, prompt + rows, cached);
                double attention = n == 0
                        ? 0
                        : rounds.explain(n, rows, context, longest).termsMs().get("attention");
                return together + attention;
            }
        };
    }

    /** Rounds of another model with some of them changed. */
    private abstract static class Changed implements RoundTimeModel {
        private final RoundTimeModel rounds;

        Changed(RoundTimeModel rounds) {
            this.rounds = rounds;
        }

        @Override
        public double roundMs(int n, long rows, double context, double longest) {
            return rounds.roundMs(n, rows, context, longest);
        }

        @Override
        public double mixedRoundMs(int n, long rows, double context, double longest, long prompt, double cached) {
            return rounds.mixedRoundMs(n, rows, context, longest, prompt, cached);
        }

        @Override
        public RoundTime explain(int n, long rows, double context, double longest) {
            return rounds.explain(n, rows, context, longest);
        }
    }
}
