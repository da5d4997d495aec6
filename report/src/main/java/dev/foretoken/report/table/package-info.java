/**
 * Tables of results. A {@link dev.foretoken.report.table.Column} declares a figure once (its name in result files, unit, header,
 * value and number style); {@link dev.foretoken.report.table.PointColumns} lists them for points, and every renderer (text,
 * Markdown, CSV, HTML, LaTeX) reads that list. An absent figure is an empty cell in every renderer.
 */
package dev.foretoken.report.table;
