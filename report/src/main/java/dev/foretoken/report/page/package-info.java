/**
 * The local what-if page. {@link dev.foretoken.report.page.PageServer} serves it on one machine,
 * {@link dev.foretoken.report.page.WhatIf} turns the settings of its controls into a scenario and the scenario into answers, so
 * that every figure of the page is what the command line gives for the scenario that the page exports.
 */
package dev.foretoken.report.page;
