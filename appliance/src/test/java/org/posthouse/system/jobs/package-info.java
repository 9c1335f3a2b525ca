/** MPI programs that misbehave in one way each, or show one thing; the system tests run them. */
package org.posthouse.system.jobs;
