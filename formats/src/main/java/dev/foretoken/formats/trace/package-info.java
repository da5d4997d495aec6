/**
 * Request traces of others and of this project, read as streams: one class per format, one line in {@link
 * dev.foretoken.formats.trace.TraceFormats}. The project's own CSV is read strictly. In published data rows that cannot be
 * used are left out and counted, small disorder is sorted and counted, and what is worse is refused with the place.
 */
package dev.foretoken.formats.trace;
