/** {@code foretoken calibrate endpoint}: round times of a running server by rows and context, draft and host residual. */
package dev.foretoken.validation.sweep;
