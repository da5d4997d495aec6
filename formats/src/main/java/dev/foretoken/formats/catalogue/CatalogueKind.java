package dev.foretoken.formats.catalogue;

import dev.foretoken.formats.document.Node;
import dev.foretoken.formats.engine.Engine;
import dev.foretoken.formats.engine.EngineReader;
import dev.foretoken.sim.hardware.Gpu;
import dev.foretoken.sim.hardware.LinkProfile;
import dev.foretoken.sim.model.Drafter;
import dev.foretoken.sim.model.TargetModel;
import java.util.List;
import java.util.function.Function;

/**
 * A kind of catalogue entry.
 *
 * @param folder where its files live
 * @param noun how messages call an entry
 * @param schema schema of its files
 * @param reader binds the root of a file
 * @param id id of an entry, equal to the name of its file
 * @param <T> the record
 */
public record CatalogueKind<T>(
        String folder, String noun, String schema, Function<Node, T> reader, Function<T, String> id) {
    public static final CatalogueKind<Gpu> GPU =
            new CatalogueKind<>("gpus", "card", "foretoken/gpu/1", GpuReader::read, Gpu::id);
    public static final CatalogueKind<LinkProfile> LINK =
            new CatalogueKind<>("links", "link profile", "foretoken/link/1", LinkReader::read, LinkProfile::id);
    public static final CatalogueKind<TargetModel> MODEL =
            new CatalogueKind<>("models", "model", "foretoken/model/1", ModelReader::read, TargetModel::id);
    public static final CatalogueKind<Drafter> DRAFTER =
            new CatalogueKind<>("drafters", "drafter", "foretoken/drafter/1", DrafterReader::read, Drafter::id);
    public static final CatalogueKind<Engine> ENGINE =
            new CatalogueKind<>("engines", "engine", EngineReader.SCHEMA, EngineReader::read, Engine::id);

    /** Every kind. */
    public static List<CatalogueKind<?>> all() {
        return List.of(GPU, LINK, MODEL, DRAFTER, ENGINE);
    }
}
