/**
 * Sources of acceptance, each one class and one registration in {@link
 * dev.foretoken.formats.acceptance.readers.AcceptanceReaders}. All are normalised to one definition: a round is one verify
 * step of one request; accepted drafts exclude the bonus or corrected token; survivors[i] counts the rounds that accepted at
 * least i + 1 drafts; accept length = 1 + accepted / rounds. Readers stream, refuse impossible values, and count and name
 * what they skip.
 */
package dev.foretoken.formats.acceptance.readers;
