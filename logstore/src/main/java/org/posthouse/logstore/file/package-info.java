/**
 * The files below the log: mapped queue files and the spare ones that follow them, room on the disk, syncing, positions
 * that are known to be on the disk, and the lock of a data folder. Knows records only by their envelope.
 */
package org.posthouse.logstore.file;
