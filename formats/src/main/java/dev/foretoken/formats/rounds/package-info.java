/** Logs of decode rounds (foretoken/rounds/1, JSON Lines). */
package dev.foretoken.formats.rounds;
