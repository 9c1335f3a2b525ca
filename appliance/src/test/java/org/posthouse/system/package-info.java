/**
 * System tests: the real command in real processes on loopback, one behaviour a class, each with a time limit. What a
 * test starts it ends, and it looks that nothing is left.
 */
package org.posthouse.system;
