/**
 * {@code foretoken backtest}: public measurements predicted from the rest of their own source, in sample and out of sample
 * apart, with every row that cannot be predicted and why.
 */
package dev.foretoken.validation.backtest;
