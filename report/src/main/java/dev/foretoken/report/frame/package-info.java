/** Results as data frames (Tablesaw), for pivots of reports and for notebooks. */
package dev.foretoken.report.frame;
