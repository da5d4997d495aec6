/**
 * Reports of runs. A {@link dev.foretoken.report.document.Report} holds what to tell, chapter by chapter, without a format;
 * {@link dev.foretoken.report.document.HtmlReport} and {@link dev.foretoken.report.document.LatexReport} write it. Every number
 * in tables and sentences comes from the results.
 */
package dev.foretoken.report.document;
