/** Names that programs import without need, as in {@link mpjdev}: MPJ Express has its Java devices' inner classes here. No state. */
package mpjdev.javampjdev;
