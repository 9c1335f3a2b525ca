/** What {@code posthouse init} writes for a grid of two sites. Stateless, but for the files. */
package org.posthouse.cli.init;
