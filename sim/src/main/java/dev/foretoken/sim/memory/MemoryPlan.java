package dev.foretoken.sim.memory;

import dev.foretoken.sim.hardware.Gpu;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.method.DraftWork;
import dev.foretoken.sim.model.Drafter;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.model.TargetModel;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.round.RoundTimes.Capacity;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.Target;
import dev.foretoken.sim.scenario.Workload;
import dev.foretoken.sim.serving.MemoryLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * How many requests fit on the cards of one replica.
 *
 * <p>Per card, at memory_fraction of its memory, weights and the drafter come first; vLLM also takes off its profiled
 * activations. SGLang then fixes a pool of recurrent states at r/(1+r) of the rest and reserves (S + verify width) states per
 * request in it (S = 5 with its extra buffer and overlap, 4 without overlap, 3 without the buffer, 1 without prefix cache),
 * whether a request is resident or not; the KV cache has what remains. vLLM takes 1 + k states per request from the same
 * pages as the KV cache. With per_node replay only S states (vLLM: 1) are kept. A request holds pages for its whole prompt,
 * its whole answer and the drafts of one round.
 */
public final class MemoryPlan implements BlackBoxTimes.MemoryLimit {
    private final Gpu gpu;
    private final TargetModel model;
    private final Target target;
    private final Function<String, Drafter> drafters;
    private final Function<String, TargetModel> models;
    private final Map<Served, Account> accounts = new ConcurrentHashMap<>();

    /** What an account depends on: it is the same for every workload. */
    private record Served(Arm arm, EngineSettings engine, int tp) {}

    /**
     * @param drafters drafter by catalogue id, null when unknown
     * @param models target model by catalogue id, null when unknown (a draft model may be one)
     */
    public MemoryPlan(
            Gpu gpu,
            TargetModel model,
            Target target,
            Function<String, Drafter> drafters,
            Function<String, TargetModel> models) {
        this.gpu = gpu;
        this.model = model;
        this.target = target;
        this.drafters = drafters;
        this.models = models;
    }

    /** Bytes per card of a drafter: weights once, KV per token. */
    private record DraftBytes(double weights, double kvPerToken, String note) {}

    private DraftBytes draft(Arm arm, int tp, Dtype kv) {
        DraftWork work = arm.method().draftWork(arm);
        if (work.kind() == DraftWork.Kind.NONE || work.kind() == DraftWork.Kind.LOOKUP) {
            return new DraftBytes(0, 0, null);
        }
        String id = arm.text("drafter");
        if (work.kind() == DraftWork.Kind.MTP_HEAD && id == null) {
            return new DraftBytes(model.mtpBytesPerCard(tp), model.mtpKvBytesPerTokenPerCard(kv, tp), null);
        }
        if (id == null) {
            return new DraftBytes(0, 0, "no drafter is named: its memory is not counted");
        }
        Drafter drafter = drafters.apply(id);
        String dtype = arm.text("draft_weights");
        if (drafter != null) {
            Dtype weights = dtype == null ? drafter.weights() : Dtype.of(dtype);
            return new DraftBytes(
                    drafter.weightBytesPerCard(weights, tp), drafter.kvBytesPerTokenPerCard(kv, tp), null);
        }
        TargetModel small = models.apply(id);
        if (small != null) {
            int own = arm.integer("draft_tp") == null ? tp : arm.integer("draft_tp");
            Dtype weights = dtype == null ? small.nativeWeights() : Dtype.of(dtype);
            return new DraftBytes(small.weightBytesPerCard(weights, own), small.kvBytesPerTokenPerCard(kv, own), null);
        }
        return new DraftBytes(0, 0, "drafter " + id + " is not in the catalogue: its memory is not counted");
    }

    /** SGLang's S: recurrent states per request besides those of the verified nodes. */
    static int stateBuffers(EngineSettings e) {
        if (e.stateBuffers() != null) {
            return e.stateBuffers();
        }
        if (Boolean.FALSE.equals(e.radixCache())) {
            return 1;
        }
        if (Boolean.FALSE.equals(e.extraBuffer())) {
            return 3;
        }
        return Boolean.FALSE.equals(e.overlap()) ? 4 : 5;
    }

    /**
     * Memory of one card.
     *
     * @param kvBytes for KV pages (vLLM: pages and states)
     * @param stateBytesTotal SGLang's pool of recurrent states
     * @param kvPerToken bytes of one token's KV, the drafter's included
     * @param state bytes of one recurrent state with its convolution state
     * @param states states that a request takes
     * @param page tokens of a page
     * @param reserved true where states have a pool of their own (SGLang)
     * @param shortage why nothing fits, null when something does
     */
    private record Account(
            double kvBytes,
            double stateBytesTotal,
            double kvPerToken,
            double state,
            int states,
            int page,
            boolean reserved,
            String shortage,
            List<String> lines) {}

    private Account account(Arm arm, EngineSettings e, int tp) {
        return accounts.computeIfAbsent(new Served(arm, e, tp), s -> work(s.arm(), s.engine(), s.tp()));
    }

    private Account work(Arm arm, EngineSettings e, int tp) {
        List<String> lines = new ArrayList<>();
        Dtype weights = Dtype.of(target.weights());
        Dtype kv = Dtype.of(target.kvCache());
        double fraction = e.memoryFraction() == null ? 1 : e.memoryFraction();
        double rest = fraction * gpu.memoryBytes();
        lines.add(line("memory at fraction " + fraction, rest));
        double held = model.weightBytesPerCard(weights, tp);
        rest -= held;
        lines.add(line("weights", -held));
        DraftBytes d = draft(arm, tp, kv);
        if (d.weights > 0) {
            rest -= d.weights;
            lines.add(line("drafter", -d.weights));
        }
        if (d.note != null) {
            lines.add(d.note);
        }
        boolean vllm = "vllm".equals(e.name());
        if (vllm) {
            double activations = activationBytes(e, tp);
            rest -= activations;
            lines.add(line("activations (estimate)", -activations));
        }
        int page = e.pageSize() == null ? 1 : e.pageSize();
        double kvPerToken = model.kvBytesPerTokenPerCard(kv, tp) + d.kvPerToken;
        double state = stateBytes(tp);
        boolean saved = target.perNode().equals(Target.SAVED);
        int width = arm.method().verifyWidth(arm, e.name());
        String shortage = rest > 0
                ? null
                : String.format(
                        Locale.ROOT,
                        "%s in %s does not fit: weights and drafter need %.1f GB per card at TP %d, %.1f GB are there",
                        model.id(),
                        weights.id(),
                        (held + d.weights) / 1e9,
                        tp,
                        fraction * gpu.memoryBytes() / 1e9);
        if (vllm) {
            int states = state == 0 ? 0 : saved ? width : 1;
            lines.add(line("KV and states", rest));
            lines.add(line(states + " states per request", states * state));
            return new Account(rest, 0, kvPerToken, state, states, page, false, shortage, lines);
        }
        double statePool = 0;
        int states = 0;
        if (state > 0) {
            double r = e.stateShare() == null ? 0.9 : e.stateShare();
            statePool = rest * r / (1 + r);
            states = stateBuffers(e) + (saved ? width : 0);
            lines.add(line("state pool, share " + String.format(Locale.ROOT, "%.3f", r / (1 + r)), statePool));
            lines.add(line(states + " states per running request", states * state));
        }
        lines.add(line("KV pool", rest - statePool));
        return new Account(rest - statePool, statePool, kvPerToken, state, states, page, true, shortage, lines);
    }

    @Override
    public Capacity of(Arm arm, EngineSettings e, int tp, Workload w) {
        Account a = account(arm, e, tp);
        if (a.shortage != null) {
            return new Capacity(0, a.shortage, a.lines);
        }
        int width = arm.method().verifyWidth(arm, e.name());
        double tokens = Math.ceil(w.isl().mean() + w.osl().mean() + width - 1);
        double kvPerRequest = Math.ceil(tokens / a.page) * a.page * a.kvPerToken;
        List<String> lines = new ArrayList<>(a.lines);
        lines.add(line("KV per request", kvPerRequest));
        double statesPerRequest = a.states * a.state;
        if (!a.reserved) {
            int n = count(a.kvBytes, kvPerRequest + statesPerRequest);
            if (n >= 1 && w.isl().mean() > 0) {
                // Pages are taken as the answer grows: what is held on average counts, as long as the longest fits at
                // all.
                double held = Math.ceil((w.meanContextTokens() + width - 1) / a.page) * a.page * a.kvPerToken;
                n = Math.max(n, count(a.kvBytes, held + statesPerRequest));
                lines.add(line("KV held on average", held));
            }
            return new Capacity(n, reason(n, "KV cache and states", tokens), lines);
        }
        int byState = count(a.stateBytesTotal, statesPerRequest);
        int byKv = count(a.kvBytes, kvPerRequest);
        int n = Math.min(byState, byKv);
        return new Capacity(n, reason(n, byState < byKv ? "recurrent states" : "KV cache", tokens), lines);
    }

    private static int count(double pool, double each) {
        return each == 0 ? Integer.MAX_VALUE : (int) Math.min(Integer.MAX_VALUE, Math.floor(pool / each));
    }

    /** Pages and slots of one card, for simulation; one page and slot where nothing fits. */
    public MemoryLimits limits(Arm arm, EngineSettings e, int tp) {
        Account a = account(arm, e, tp);
        double pageBytes = a.page * a.kvPerToken;
        long pages = pageBytes == 0 ? MemoryLimits.UNLIMITED : Math.max(1, (long) Math.floor(a.kvBytes / pageBytes));
        if (!a.reserved) {
            int beside = pageBytes == 0 ? 0 : (int) Math.ceil(a.states * a.state / pageBytes);
            return new MemoryLimits(pages, a.page, beside, MemoryLimits.UNLIMITED, 0, 0);
        }
        long slots =
                a.state == 0 ? MemoryLimits.UNLIMITED : Math.max(1, (long) Math.floor(a.stateBytesTotal / a.state));
        return new MemoryLimits(pages, a.page, 0, slots, a.states, 0);
    }

    private double stateBytes(int tp) {
        return (double) model.recurrentStateBytesPerCard(Dtype.of(target.recurrentStateDtype()), tp)
                + model.convStateBytesPerCard(tp);
    }

    /** vLLM's profiled peak, estimated: the widest MLP activation of a full batch and its residual stream, 16 bits. */
    private double activationBytes(EngineSettings e, int tp) {
        double tokens = e.maxBatchedTokens() == null ? 8192 : e.maxBatchedTokens();
        double width = model.moe() == null
                ? 3.0 * model.intermediate() / tp
                : 3.0 * model.moe().topK() * model.moe().intermediate() / tp;
        return tokens * 2 * (width + 4.0 * model.hidden());
    }

    private static String reason(int n, String what, double tokens) {
        return n < 1 ? String.format(Locale.ROOT, "not even one request of %.0f tokens fits: %s", tokens, what) : what;
    }

    private static String line(String what, double bytes) {
        return String.format(Locale.ROOT, "%s: %.3f GB", what, bytes / 1e9);
    }
}
