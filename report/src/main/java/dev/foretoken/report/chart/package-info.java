/**
 * Charts of results in one look. {@link dev.foretoken.report.chart.Plot} lays out title, axes, grid and labels;
 * XChart draws lines, bands, areas and markers inside the axes. PNG and SVG come from the same drawing calls.
 */
package dev.foretoken.report.chart;
