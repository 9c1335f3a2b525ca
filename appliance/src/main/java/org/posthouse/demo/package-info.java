/**
 * {@code posthouse demo}: two sites on this host, the example jobs over both, and a drawing of what happened.
 *
 * <p>It uses the product as a user would: relay processes, a launcher, the console's API. The command calls it.
 */
package org.posthouse.demo;
