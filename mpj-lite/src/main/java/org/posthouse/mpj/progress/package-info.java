/**
 * The progress engine: a rank's connection to its home relay over all its channels, the frames that are kept for
 * resending, and the threads that wait for frames. The settings of both are here.
 *
 * <p>{@link org.posthouse.mpj.progress.ProgressEngine} has the lock that guards the whole endpoint. The package is
 * internal: programs never use it, and it may change with any release.
 */
package org.posthouse.mpj.progress;
