/** {@code foretoken validate}: a scenario's predictions against a live endpoint or against result files. */
package dev.foretoken.validation.validate;
