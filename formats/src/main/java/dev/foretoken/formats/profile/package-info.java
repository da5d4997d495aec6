/**
 * {@code foretoken/profile/1}: kernel timings of one card under one engine, as JSON, plain or compressed with gzip.
 *
 * <p>A profile holds families of curves (one operation, dtype and kernel each). A family carries its curves itself or names
 * a file beside the profile that does; such a part is read only when its curves are asked for, so that a scenario pays for
 * the dtypes it uses. {@link dev.foretoken.formats.profile.ProfileReader} reads, {@link
 * dev.foretoken.formats.profile.ProfileWriter} writes, {@link dev.foretoken.formats.profile.ProfileCatalogue} finds profiles
 * by id.
 */
package dev.foretoken.formats.profile;
