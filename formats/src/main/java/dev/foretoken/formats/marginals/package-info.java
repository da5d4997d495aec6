/** Logged marginals of block drafters beside what the target said (foretoken/marginals/1, JSON Lines, gzip allowed). */
package dev.foretoken.formats.marginals;
