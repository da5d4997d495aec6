package dev.foretoken.formats.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.catalogue.CatalogueFiles;
import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.sim.profile.CardState;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.profile.ProfileSource;
import dev.foretoken.sim.profile.Shape;
import dev.foretoken.sim.profile.Tile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProfileFilesTest {
    private static final double[] NONE = {};

    @TempDir
    Path temp;

    private static Profile profile() {
        Curve plain =
                Curve.of(Shape.gemm(5120, 17408), new double[] {1, 16, 17}, new double[] {119.7, 122.5, 140}, NONE);
        Curve stepped = Curve.of(
                Shape.gemm(5120, 6144),
                new double[] {1, 8, 16},
                new double[] {40, 41.25, 60.5},
                new double[] {39, 41, 60},
                new double[] {41.5, 42, 61},
                new int[] {30, 30, 31},
                new double[] {8});
        Curve server =
                Curve.of(Shape.of("tp", 1).and("context", 0), new double[] {1, 8}, new double[] {22100, 23400}, NONE);
        return new Profile(
                "my-card",
                "sglang",
                "0.5.14",
                new ProfileSource("timing tool", "1.0", null, List.of("run-1"), true),
                new CardState("My \"card\"", 2430.0, 12481.0, 600.0, "580.1"),
                List.of(
                        CurveFamily.of(
                                Op.GEMM,
                                "bf16",
                                "torch",
                                "rows",
                                new Tile(128, 128, 188, 512),
                                List.of(plain, stepped)),
                        CurveFamily.of(Op.ROUND, "bf16", "server", "rows", null, List.of(server))),
                List.of("A remark."));
    }

    private static void assertSame(Profile expected, Profile found, Path any) {
        assertEquals(ProfileWriter.texts(expected, any), ProfileWriter.texts(found, any));
    }

    @Test
    void oneFileReadsBackAlike() {
        for (String name : List.of("p.json", "p.json.gz")) {
            Path file = temp.resolve(name);
            ProfileWriter.write(profile(), file);
            Profile back = ProfileReader.read(file);
            assertSame(profile(), back, temp.resolve("x.json"));
            Curve c = back.families(Op.GEMM).get(0).find(Shape.gemm(5120, 6144));
            assertEquals(41.25, c.us(8));
            assertEquals(60.5, c.us(9)); // the stair after 8
            assertEquals(60, c.lowUs(2));
            assertEquals(31, c.count(2));
        }
    }

    @Test
    void partsReadBackAlikeAndOnlyWhenAsked() throws IOException {
        Path file = temp.resolve("my-card/sglang-0.5.14.json");
        List<Path> written = ProfileWriter.writeInParts(profile(), file);
        assertEquals(file, written.get(written.size() - 1));
        assertEquals(3, written.size());
        assertSame(profile(), ProfileReader.read(file), file);
        Profile lazy = ProfileReader.read(file);
        Files.delete(written.get(1)); // the server's rounds
        assertEquals(2, lazy.families(Op.GEMM).get(0).curves().size());
        DocumentError e = assertThrows(
                DocumentError.class, () -> lazy.families(Op.ROUND).get(0).curves());
        assertTrue(e.getMessage().contains("no such file"), e.getMessage());
    }

    @Test
    void catalogueFindsTheNewestVersion() {
        Path folder = temp.resolve("profiles");
        for (String version : List.of("0.5.9", "0.5.14", "0.5.14rc1")) {
            Profile p = profile();
            Profile other = new Profile(p.card(), p.engine(), version, p.source(), p.state(), p.families(), p.notes());
            ProfileWriter.writeInParts(other, folder.resolve("my-card/sglang-" + version + ".json"));
        }
        ProfileCatalogue c = new ProfileCatalogue(new CatalogueFiles(List.of(temp)));
        assertEquals("0.5.14", c.load("my-card/sglang").version());
        assertEquals("0.5.9", c.load("my-card/sglang-0.5.9").version());
        assertTrue(c.ids().contains("my-card/sglang-0.5.14rc1"), c.ids()::toString);
        assertTrue(c.ids().stream().noneMatch(i -> i.contains("gemm")), c.ids()::toString);
        assertEquals(
                2, c.load("my-card/sglang").families(Op.GEMM).get(0).curves().size());
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> c.load("my-card/sglan"));
        assertTrue(e.getMessage().contains("my-card/sglang-0.5"), e.getMessage());
    }

    @Test
    void catalogueRefusesAFileInAnotherPlace() {
        ProfileWriter.write(profile(), temp.resolve("profiles/other-card/sglang-0.5.14.json"));
        ProfileCatalogue c = new ProfileCatalogue(new CatalogueFiles(List.of(temp)));
        DocumentError e = assertThrows(DocumentError.class, () -> c.load("other-card/sglang"));
        assertTrue(e.getMessage().contains("is the profile my-card/sglang-0.5.14"), e.getMessage());
    }

    private String refused(String text) throws IOException {
        Path file = temp.resolve("bad.json");
        Files.writeString(file, text);
        DocumentError e = assertThrows(DocumentError.class, () -> {
            Profile p = ProfileReader.read(file);
            p.families().forEach(CurveFamily::curves);
        });
        assertTrue(e.getMessage().startsWith(file.toString()), e.getMessage());
        assertFalse(e.getMessage().contains("\n\tat "), e.getMessage());
        return e.getMessage();
    }

    private static String document(String family) {
        return "{\"schema\":\"foretoken/profile/1\",\n\"card\":\"c\",\"engine\":\"e\",\"version\":\"1\",\n"
                + "\"source\":{\"name\":\"s\"},\n\"families\":[\n" + family + "]}";
    }

    private static String family(String body) {
        return "{\"op\":\"gemm\",\"dtype\":\"bf16\",\"kernel\":\"k\",\"axis\":\"rows\"," + body + "}";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "\"at\":[1,2],\"curves\":[{\"shape\":{\"n\":1},\"median\":[5,-6]}]|time at 2.0 must be finite and positive: -6.0 us",
                "\"at\":[1,2],\"curves\":[{\"shape\":{\"n\":1},\"median\":[5]}]|2 knots but 1 values of median",
                "\"at\":[2,1],\"curves\":[{\"shape\":{\"n\":1},\"median\":[5,6]}]|knots must ascend: 1.0 after 2.0",
                "\"at\":[1],\"curves\":[{\"shape\":{\"n\":1},\"median\":[\"5\"]}]|must be a number, found 5",
                "\"at\":[1],\"curves\":[{\"shape\":{\"n\":1.5},\"median\":[5]}]|must be a whole number, found 1.5",
                "\"at\":[1],\"curves\":[{\"shape\":{\"n\":1},\"median\":[5],\"low\":[6],\"high\":[7]}]|must hold its median",
                "\"curves\":[{\"shape\":{\"n\":1},\"median\":[5]}]|families.curves.at: required key is missing",
                "\"at\":[1],\"curves\":[]|has no curves",
                "\"at\":[1]|needs either curves or the file",
                "\"unit\":\"ms\",\"at\":[1],\"curves\":[{\"median\":[5]}]|must be us, found \"ms\"",
                "\"at\":[1],\"curves\":[{\"median\":[5]},{\"median\":[6]}]|two curves of shape",
                "\"file\":\"../../secret.json\"|must lie beside the profile",
                "\"at\":[1,1e400],\"curves\":[{\"median\":[5,6]}]|must be a finite number",
            })
    void refusesFamiliesThatAreNotWhatTheyShouldBe(String body, String reason) throws IOException {
        String message = refused(document(family(body)));
        assertTrue(message.contains(reason), message);
    }

    @Test
    void refusesDocumentsThatAreNotProfiles() throws IOException {
        String good = document(family("\"at\":[1],\"curves\":[{\"median\":[5]}]"));
        assertTrue(refused(good.replace("profile/1", "profile/2")).contains("foretoken/profile/2"));
        assertTrue(
                refused(good.replace("\"schema\":\"foretoken/profile/1\",", "")).contains("schema"));
        assertTrue(refused(good.replace("\"card\":\"c\",", "")).contains("card: required key is missing"));
        assertTrue(
                refused(good.replace("\"source\":{\"name\":\"s\"},", "")).contains("source: required key is missing"));
        assertTrue(refused(good.substring(0, good.length() - 10)).contains("bad.json:5"));
        assertTrue(refused("").contains("is empty"));
        assertTrue(refused("nonsense").contains("not well-formed JSON"));
        assertTrue(refused("[1,2]").contains("must be an object"));
        assertTrue(refused(good + "{}").contains("more than one JSON value"));
        assertTrue(refused(good.replace("\"card\":\"c\"", "\"card\":\"c\",\"card\":\"d\""))
                .contains("Duplicate field"));
        assertTrue(refused(document("")).contains("without curves"));
    }

    @Test
    void ignoresUnknownFields() throws IOException {
        Path file = temp.resolve("new.json");
        Files.writeString(
                file,
                document(family("\"colour\":{\"a\":[1]},\"at\":[1],\"curves\":[{\"median\":[5],\"mood\":\"good\"}]"))
                        .replace("\"card\"", "\"later\":[{}],\"card\""));
        assertEquals(1, ProfileReader.read(file).families().get(0).curves().size());
    }

    @Test
    void refusesTruncatedAndForeignParts() throws IOException {
        Path file = temp.resolve("my-card/sglang-0.5.14.json");
        Path part = ProfileWriter.writeInParts(profile(), file).get(0);
        byte[] whole = Files.readAllBytes(part);
        Files.write(part, Arrays.copyOf(whole, whole.length / 2));
        DocumentError cut = assertThrows(
                DocumentError.class,
                () -> ProfileReader.read(file).families().get(0).curves());
        assertTrue(cut.getMessage().contains("truncated or damaged"), cut.getMessage());
        Profile p = profile();
        ProfileWriter.write(
                new Profile(
                        "your-card",
                        p.engine(),
                        p.version(),
                        p.source(),
                        p.state(),
                        List.of(p.families().get(0)),
                        List.of()),
                part);
        DocumentError foreign = assertThrows(
                DocumentError.class,
                () -> ProfileReader.read(file).families().get(0).curves());
        assertTrue(
                foreign.getMessage().contains("is a part of your-card/sglang, not of my-card/sglang"),
                foreign.getMessage());
        ProfileWriter.write(p.with(List.of(p.families().get(1))), part);
        DocumentError other = assertThrows(
                DocumentError.class,
                () -> ProfileReader.read(file).families().get(0).curves());
        assertTrue(other.getMessage().contains("where gemm bf16 torch was expected"), other.getMessage());
    }

    @Test
    void versionsSortAsPeopleReadThem() {
        List<String> sorted =
                List.of("0.5.9", "0.5.14.dev1", "0.5.14rc1", "0.5.14rc2", "0.5.14", "0.5.14.post1", "0.24.0", "1.3");
        for (int i = 0; i + 1 < sorted.size(); i++) {
            assertTrue(
                    Versions.compare(sorted.get(i), sorted.get(i + 1)) < 0, sorted.get(i) + " < " + sorted.get(i + 1));
            assertTrue(Versions.compare(sorted.get(i + 1), sorted.get(i)) > 0);
        }
        assertEquals(0, Versions.compare("0.5.14", "0.5.14"));
    }

    @Test
    void everyShippedProfileLoads() {
        ProfileCatalogue shipped = ProfileCatalogue.bundled();
        assertTrue(shipped.ids().size() >= 16, shipped.ids()::toString);
        for (String id : shipped.ids()) {
            Profile p = shipped.load(id);
            assertFalse(p.families(Op.GEMM, "bf16").isEmpty(), id);
            assertFalse(p.families(Op.ATTENTION_GENERATION).isEmpty(), id);
            p.families().forEach(f -> assertFalse(f.curves().isEmpty(), id + " " + f));
        }
    }
}
