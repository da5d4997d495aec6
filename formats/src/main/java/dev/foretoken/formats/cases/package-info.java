/** Public measurements as CSV (foretoken/cases/1). */
package dev.foretoken.formats.cases;
