/** What people look at: tables, charts, pages. Everything renders from results; nothing here computes a figure of the model. */
package dev.foretoken.report;
