/** Versions and JSON Schemas of the files. */
package dev.foretoken.formats.schema;
