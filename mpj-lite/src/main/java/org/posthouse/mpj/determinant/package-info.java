/**
 * The determinants of a logged job's rank: the outcomes of its calls that depend on time. They are recorded, reported
 * to the relay ahead of all that follows from them, and repeated after a restart.
 *
 * <p>{@link org.posthouse.mpj.determinant.DeterminantLog} owns them. All state is guarded by the endpoint's lock. The
 * package is internal: programs never use it, and it may change with any release.
 */
package org.posthouse.mpj.determinant;
