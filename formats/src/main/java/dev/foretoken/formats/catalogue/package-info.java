/**
 * Catalogues of cards, link profiles, models, drafters and engines: one YAML file per entry, shipped on the class path and
 * added to, or overridden, by files in a user's folders.
 *
 * <p>A kind of entry is one reader and one line in {@link dev.foretoken.formats.catalogue.CatalogueKind}. An entry lives in
 * {@code FOLDER/ID.yaml}, so that looking one up reads one file.
 */
package dev.foretoken.formats.catalogue;
