/** Checkpoint images in files of their own: layout, checksums, and which of them are kept. */
package org.posthouse.logstore.image;
