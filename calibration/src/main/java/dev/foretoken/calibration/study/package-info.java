/**
 * From observed acceptance to an acceptance file: counts of any readers become evidence by workload, method, engine and version
 * ({@link dev.foretoken.calibration.study.EvidenceCollector}), a study fits them and says how sure it is ({@link
 * dev.foretoken.calibration.study.AcceptanceStudy}).
 */
package dev.foretoken.calibration.study;
