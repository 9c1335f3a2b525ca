/**
 * Files that only their user may read: the audit log, token files, and the console's secret in a relay's data
 * folder.
 */
package org.posthouse.cli.file;
