package dev.foretoken.sim.whitebox;

import dev.foretoken.sim.hardware.Gpu;
import dev.foretoken.sim.hardware.LinkProfile;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.method.DraftWork;
import dev.foretoken.sim.method.Method;
import dev.foretoken.sim.model.Drafter;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.model.TargetModel;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.profile.ProfileDraws;
import dev.foretoken.sim.round.BlackBoxTimes.MemoryLimit;
import dev.foretoken.sim.round.GraphPadding;
import dev.foretoken.sim.round.RoundTimeModel;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.Target;
import dev.foretoken.sim.scenario.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Round times of every arm of a scenario from kernel timings: the white box behind {@link RoundTimes}. Safe to share between
 * threads.
 */
public final class WhiteBoxTimes implements RoundTimes {
    /** Prompt tokens of a chunk where the engine settings say nothing; SGLang's and vLLM's usual value. */
    private static final int DEFAULT_CHUNK = 8192;

    /** Draws behind a band, in pairs of opposite ones. */
    private static final int DRAWS = 12;

    /** The profile itself. */
    private static final Draw CENTRAL = new Draw(true, -1);

    private static final long DRAW_SEED = 1;

    private final Sources sources;
    private final Map<KernelsOf, Kernels> kernels = new ConcurrentHashMap<>();

    /** Kernels of the profile itself or of a draw of it. */
    private record KernelsOf(AttentionBackend backend, Draw draw) {}

    /** A draw of the upper or lower halves of the profile's intervals. */
    private record Draw(boolean upper, int index) {}

    /**
     * What a scenario's rounds are made of.
     *
     * @param gpu the card
     * @param profile its kernel timings
     * @param link how the cards of a replica talk; null = replicas of one card only
     * @param customAllReduce engine's own all-reduce; null = where the link profile has it
     * @param powerLimitW power cap per card, W; null = the card's default
     * @param model the target
     * @param target how it is stored
     * @param drafters drafter by catalogue id, null when unknown
     * @param models target model by catalogue id, null when unknown (a draft model may be one)
     * @param host host times; null = published ones of the engine
     * @param prefillMsPerToken overrides the profile's prefill; null = the profile's
     * @param memory limit of resident requests
     */
    public record Sources(
            Gpu gpu,
            Profile profile,
            LinkProfile link,
            Boolean customAllReduce,
            Double powerLimitW,
            TargetModel model,
            Target target,
            Function<String, Drafter> drafters,
            Function<String, TargetModel> models,
            HostTerms host,
            Double prefillMsPerToken,
            MemoryLimit memory) {}

    public WhiteBoxTimes(Sources sources) {
        this.sources = sources;
    }

    @Override
    public Timing of(Arm arm, EngineSettings engine, int tp) {
        WhiteBox box = rounds(arm, engine, tp);
        List<String> notes = new ArrayList<>(box.notes());
        Prefill prefill;
        RoundTimeModel model = box;
        if (sources.prefillMsPerToken != null) {
            double perToken = sources.prefillMsPerToken;
            prefill = tokens -> tokens * perToken;
            model = new GivenPrefill(box, perToken);
            notes.add("prefill_ms_per_token overrides the profile's prefill.");
        } else {
            int chunk = engine.chunkTokens() == null ? DEFAULT_CHUNK : engine.chunkTokens();
            prefill = tokens -> box.prefillMs(tokens, chunk);
        }
        return new Timing(model, band(arm, engine, tp, box), prefill, box.calibrated(), List.copyOf(notes));
    }

    /** Both ends of the band of a profile that was measured on the user's own card; none for published ones. */
    private List<RoundTimeModel> band(Arm arm, EngineSettings engine, int tp, WhiteBox box) {
        if (!sources.profile.source().measured()) {
            return List.of();
        }
        RoundTimeModel low = end(arm, engine, tp, box, false);
        RoundTimeModel high = end(arm, engine, tp, box, true);
        Double perToken = sources.prefillMsPerToken;
        return perToken == null
                ? List.of(low, high)
                : List.of(new GivenPrefill(low, perToken), new GivenPrefill(high, perToken));
    }

    private RoundTimeModel end(Arm arm, EngineSettings engine, int tp, WhiteBox box, boolean upper) {
        List<WhiteBox> draws = new ArrayList<>();
        for (int i = 0; i < DRAWS; i++) {
            draws.add(rounds(arm, engine, tp, new Draw(upper, i)));
        }
        return new TimingBand(box, draws, upper);
    }

    /** Rounds of an arm with every term. */
    public WhiteBox rounds(Arm arm, EngineSettings engine, int tp) {
        return rounds(arm, engine, tp, CENTRAL);
    }

    private WhiteBox rounds(Arm arm, EngineSettings engine, int tp, Draw draw) {
        String name = engine.name() == null ? sources.profile.engine() : engine.name();
        if (!name.equals(sources.profile.engine())) {
            throw new IllegalArgumentException("the profile " + sources.profile.id() + " holds timings under "
                    + sources.profile.engine() + ", not under " + name);
        }
        DraftWork work = arm.speculative() ? arm.method().draftWork(arm) : DraftWork.NONE;
        String id = arm.text(Method.DRAFTER);
        Drafter drafter = null;
        TargetModel draftModel = null;
        switch (work.kind()) {
            case BLOCK, HEAD -> drafter = drafter(arm, work, id);
            case MODEL -> {
                draftModel = id == null ? null : sources.models.apply(id);
                if (draftModel == null) {
                    throw new IllegalArgumentException(
                            "the draft model " + id + " is not in the catalogue: its passes cannot be timed");
                }
            }
            default -> {}
        }
        Integer draftTp = arm.integer(Method.DRAFT_TP);
        String draftWeights = arm.text(Method.DRAFT_WEIGHTS);
        HostTerms host = sources.host == null ? HostTerms.published(name) : sources.host;
        RoundShape shape = new RoundShape(
                arm.speculative() ? arm.method().verifyWidth(arm, name) : 1,
                work,
                drafter,
                draftModel,
                draftTp == null ? tp : draftTp,
                draftWeights == null ? null : Dtype.of(draftWeights),
                sources.target.perNode().equals(Target.REPLAY),
                !Boolean.FALSE.equals(engine.overlap()),
                !Boolean.FALSE.equals(engine.cudaGraphs()),
                GraphPadding.of(name, engine.cudaGraphs(), engine.graphBatchSizes()),
                host);
        return WhiteBox.of(
                kernels(name, engine.attentionBackend(), draw),
                sources.model,
                tp,
                Dtype.of(sources.target.weights()),
                Dtype.of(sources.target.kvCache()),
                Dtype.of(sources.target.recurrentStateDtype()),
                shape);
    }

    private Drafter drafter(Arm arm, DraftWork work, String id) {
        if (id == null && work.kind() == DraftWork.Kind.BLOCK) {
            id = sources.model.id() + "-dflash";
        }
        Drafter d = id == null ? null : sources.drafters.apply(id);
        if (d == null) {
            throw new IllegalArgumentException(
                    (id == null ? arm.kind() + " names no drafter" : "the drafter " + id + " is not in the catalogue")
                            + ": its passes cannot be timed");
        }
        if (!d.target().equals(sources.model.id()) && d.hidden() != sources.model.hidden()) {
            throw new IllegalArgumentException(
                    "the drafter " + d.id() + " drafts for " + d.target() + ", not for " + sources.model.id());
        }
        return d;
    }

    private Kernels kernels(String engine, String backend, Draw draw) {
        AttentionBackend wanted = backend == null
                ? AttentionBackend.usual(engine, sources.gpu.arch(), Dtype.of(sources.target.kvCache()))
                : AttentionBackend.of(backend);
        return kernels.computeIfAbsent(
                new KernelsOf(wanted, draw),
                k -> Kernels.of(
                        sources.gpu,
                        draw.equals(CENTRAL)
                                ? sources.profile
                                : ProfileDraws.draw(sources.profile, DRAW_SEED, draw.upper(), draw.index()),
                        sources.link,
                        sources.customAllReduce,
                        wanted,
                        sources.powerLimitW,
                        Mode.SERVING));
    }

    @Override
    public Capacity capacity(Arm arm, EngineSettings engine, int tp, Workload workload) {
        return sources.memory.of(arm, engine, tp, workload);
    }
}
