/** Names that programs import without need, as in {@link mpjdev}: MPJ Express has its native devices' inner classes here. No state. */
package mpjdev.natmpjdev;
