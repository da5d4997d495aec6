/** The calibrate-predict-measure loop against a real llama.cpp server on this machine's CPU. */
package dev.foretoken.cli.live;
