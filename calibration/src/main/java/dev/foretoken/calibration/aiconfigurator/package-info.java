/**
 * Import of AIConfigurator's kernel tables (PyPI package {@code aiconfigurator-core}, Apache-2.0) into {@code
 * foretoken/profile/1}.
 *
 * <p>{@link dev.foretoken.calibration.aiconfigurator.TableStore} finds the tables in a wheel or an unpacked folder, {@link
 * dev.foretoken.calibration.aiconfigurator.ParquetTable} reads one, the {@code *Tables} classes turn one kind of table into
 * curves, and {@link dev.foretoken.calibration.aiconfigurator.AiconfiguratorImport} puts profiles together. Times in the
 * tables are milliseconds, in curves microseconds. What was not taken over is a {@link
 * dev.foretoken.calibration.aiconfigurator.Finding} with its reason.
 */
package dev.foretoken.calibration.aiconfigurator;
