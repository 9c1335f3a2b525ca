/** Names that programs import without need, as in {@link mpjdev}: MPJ Express has its devices here. No state. */
package xdev;
