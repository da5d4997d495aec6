/** Acceptance: its forms as files spell them, and files of measured acceptance (foretoken/acceptance/1). */
package dev.foretoken.formats.acceptance;
