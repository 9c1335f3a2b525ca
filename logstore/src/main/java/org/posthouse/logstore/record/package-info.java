/**
 * The records of the log: their types, layout, encoding and checksums (docs/log-format.md). Pure: no file is opened
 * here.
 */
package org.posthouse.logstore.record;
