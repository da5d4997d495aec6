package dev.foretoken.calibration.study;

import dev.foretoken.calibration.acceptance.MarginalReplay;
import dev.foretoken.calibration.acceptance.MarginalRound;
import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.io.Skipped;
import dev.foretoken.formats.marginals.Marginals;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.LawBand;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * A trace of drafter marginals held in memory, as a scenario's {@code acceptance: {trace: FILE}}: exact replay of any design.
 * It counts as its content where scenarios are hashed, not as its path.
 */
public final class MarginalTrace implements AcceptanceForm.Source {
    /** Bytes of one log-probability, with the arrays around it. */
    private static final int BYTES_PER_VALUE = 12;

    private final String sha256;
    private final MarginalReplay replay;
    private final List<String> notes;

    private MarginalTrace(String sha256, MarginalReplay replay, List<String> notes) {
        this.sha256 = sha256;
        this.replay = replay;
        this.notes = notes;
    }

    /**
     * Reads a trace.
     *
     * @throws DocumentError when it holds no round, rounds of several shapes, or more than half of the heap
     */
    public static MarginalTrace load(Path file) {
        List<MarginalRound> rounds = new ArrayList<>();
        int[] shape = new int[2];
        long[] values = new long[1];
        long most = Runtime.getRuntime().maxMemory() / 2 / BYTES_PER_VALUE;
        Skipped skipped = Marginals.read(file, (header, round) -> {
            if (rounds.isEmpty()) {
                shape[0] = round.depth();
                shape[1] = round.ranks();
            } else if (round.depth() != shape[0] || round.ranks() != shape[1]) {
                throw new IllegalArgumentException("a round of " + round.depth() + " x " + round.ranks()
                        + " log-probabilities in a trace of " + shape[0] + " x " + shape[1]);
            }
            values[0] += (long) round.depth() * round.ranks();
            if (values[0] > most) {
                throw new DocumentError(
                        file.toString(),
                        0,
                        "",
                        "the trace needs more than half of the memory: raise it with FORETOKEN_HEAP, such as"
                                + " FORETOKEN_HEAP=8g, or cut the trace");
            }
            rounds.add(convert(round));
        });
        if (rounds.isEmpty()) {
            throw new DocumentError(
                    file.toString(),
                    0,
                    "",
                    "holds no round"
                            + (skipped.count() == 0
                                    ? ""
                                    : "; the first of " + skipped.count() + " that were refused: "
                                            + skipped.examples().get(0)));
        }
        List<String> notes = skipped.count() == 0
                ? List.of()
                : List.of(skipped.count() + " lines of the trace were left out, the first: "
                        + skipped.examples().get(0));
        return new MarginalTrace(sha256(file), new MarginalReplay(rounds, shape[0], shape[1]), notes);
    }

    /** A round of a file as the replay takes it. */
    static MarginalRound convert(dev.foretoken.formats.marginals.MarginalRound round) {
        int[] target = new int[round.targetRanks().size()];
        for (int d = 0; d < target.length; d++) {
            Integer rank = round.targetRanks().get(d);
            target[d] = rank == null ? -1 : rank;
        }
        return new MarginalRound(round.logProbs(), target);
    }

    @Override
    public LawBand law(Design design) {
        LawBand law = replay.law(design);
        if (notes.isEmpty()) {
            return law;
        }
        List<String> all = new ArrayList<>(law.notes());
        all.addAll(notes);
        return new LawBand(law.central(), law.corners(), law.reason(), all);
    }

    /** SHA-256 of the file, lower-case hexadecimal. */
    public String getSha256() {
        return sha256;
    }

    private static String sha256(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] buffer = new byte[1 << 16];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                digest.update(buffer, 0, n);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
