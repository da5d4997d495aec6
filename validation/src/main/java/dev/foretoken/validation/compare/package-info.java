/**
 * Prediction against measurement: errors with their noise, equivalence over runs, what may be compared with what, three stages
 * (forced acceptance, measured acceptance, full), and which term of the model an error points to.
 */
package dev.foretoken.validation.compare;
