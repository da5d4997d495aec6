/** Serving engines: the flags they run with by default, the facts that decide memory, and the command line that starts them. */
package dev.foretoken.formats.engine;
