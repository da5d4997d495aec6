/**
 * Result files of benchmark clients, each one class and one registration in {@link
 * dev.foretoken.validation.importers.ResultImporters}. Names are mapped by source, since "TPOT" and "ITL" mean different
 * things in each client; what a file lacks stays unknown and is asked for.
 */
package dev.foretoken.validation.importers;
