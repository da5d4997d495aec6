/** Files written whole or not at all, and line streams read within bounds. */
package dev.foretoken.formats.io;
