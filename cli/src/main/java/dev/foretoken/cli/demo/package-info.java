/**
 * The demo: public servers predicted from their own autoregressive sweep beside what they measured, and the founding case from
 * kernel timings.
 */
package dev.foretoken.cli.demo;
