package org.posthouse.examples;

/**
 * Some points of a string that is fixed at both ends and was plucked at a third of its length.
 *
 * <p>Confined to its rank. {@link #height} has the points at 1 to {@code points}; at 0 and {@code points + 1} are the string's fixed
 * ends, or copies of the neighbours' points where the string goes on. A step changes the speed of each point by how its neighbours
 * pull, and then its height by its speed (leapfrog), all in place; a new value depends on three old ones and on nothing else, so
 * a string cut into pieces gives the same bits as the whole.
 */
final class Stretch {

    /** The wave's speed in points a step, squared; stable below 1. */
    private static final double PULL = 0.25;

    private static final double PLUCKED_AT = 1.0 / 3;

    private final int points;
    private final double[] height;
    private final double[] speed;

    /** The points {@code [first, first + points)}, counted from 0, of a string of {@code all} points. */
    Stretch(int all, int first, int points) {
        this.points = points;
        height = new double[points + 2];
        speed = new double[points + 2];
        for (int point = 1; point <= points; point++) {
            height[point] = pluckedHeight((first + point) / (all + 1.0));
        }
    }

    /** A triangle of height 1. */
    private static double pluckedHeight(double where) {
        return where < PLUCKED_AT ? where / PLUCKED_AT : (1 - where) / (1 - PLUCKED_AT);
    }

    int points() {
        return points;
    }

    /** The heights of this moment; always the same array. */
    double[] height() {
        return height;
    }

    /** The speeds of this moment; always the same array. */
    double[] speed() {
        return speed;
    }

    /** One step; the neighbours' points must be those of this moment. */
    void advance() {
        for (int point = 1; point <= points; point++) {
            speed[point] += PULL * (height[point - 1] - 2 * height[point] + height[point + 1]);
        }
        for (int point = 1; point <= points; point++) {
            height[point] += speed[point];
        }
    }
}
