/**
 * Documents whose every value knows where it stands: YAML or JSON read into {@link dev.foretoken.formats.document.Node}s
 * with file, line, column and key path, bound to records by {@link dev.foretoken.formats.document.Fields}, and refused with
 * {@link dev.foretoken.formats.document.DocumentError}, whose message names file, line, key, value and the nearest valid key.
 *
 * <p>A reader is a function from a node to a record:
 *
 * <pre>{@code
 * static Price price(Node node) {
 *     Fields fields = node.fields();
 *     Field<String> currency = fields.required("currency", Node::text);
 *     Field<Double> amount = fields.required("amount", n -> n.number(0, 1e9));
 *     return fields.build(() -> new Price(currency.get(), amount.get()));
 * }
 * Price price = Documents.read(path, Limits.SCENARIO, PriceReader::price);
 * }</pre>
 *
 * <p>All problems of a file are collected (up to {@value dev.foretoken.formats.document.DocumentError#MAX_PRINTED} are
 * printed); a value that cannot be read rejects the records that need it, and the rest of the file is still checked.
 *
 * <p>What YAML leaves open is decided here: a plain scalar is what the key asks for, so {@code version: 1.10} stays text and
 * {@code on}, {@code off}, {@code yes}, {@code no} are booleans only where a boolean is wanted; numbers are decimal, with
 * {@code _} between digits allowed; hexadecimal, octal, leading zeros, infinities and NaN are refused; so are tags, keys that
 * occur twice, and values that are absent after their key. Anchors, aliases and merge keys work within a budget of values.
 */
package dev.foretoken.formats.document;
