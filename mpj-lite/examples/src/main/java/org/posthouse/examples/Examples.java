package org.posthouse.examples;

import java.util.List;
import java.util.Optional;

/**
 * The catalogue of example jobs: what {@code example:NAME} on a command line stands for.
 * Constant, safe from any thread; unknown names give an empty answer, never an error.
 */
public final class Examples {

    private static final List<Example> ALL = List.of(
            new Example("pi", Pi.class.getName(), "integrates 4/(1+x^2) to get pi: Bcast and Reduce  [intervals]"),
            new Example("ring", Ring.class.getName(), "sends a sealed token round all ranks  [laps] [payload bytes]"),
            new Example("nas-ep", NasEp.class.getName(), "NAS EP: Gaussian pairs, almost no messages  [S|W|A]"),
            new Example("nas-is", NasIs.class.getName(), "NAS IS: bucket sort, all-to-all traffic  [S|W|A]"),
            new Example("nas-cg", NasCg.class.getName(), "NAS CG: conjugate gradients, many reductions  [S|W|A|B]"),
            new Example("kmeans", KMeans.class.getName(), "k-means clusters of a CSV file  [--input FILE] [--k K] [...]"),
            new Example("heat", Heat.class.getName(), "heat on a square plate, neighbours swap rows  [n] [steps]"),
            new Example("waves", Waves.class.getName(), "a string swings, and is saved now and then  [points] [steps]"),
            new Example("life", Life.class.getName(), "game of life on a torus  [--pattern NAME] [--rle FILE] [...]"),
            new Example("matmul", Matmul.class.getName(), "dense matrix product by SUMMA  [rows] [columns] [inner]"),
            new Example("stencil-shrink", StencilShrink.class.getName(), "goes on when ranks die, with the others  [cells] [steps] [deaths]"),
            new Example("stencil-rebuild", StencilRebuild.class.getName(), "goes on when ranks die, with new ones  [cells] [steps] [deaths]"),
            new Example("farm-blank", FarmBlank.class.getName(), "gives the tasks of dead workers to others  [tasks] [deaths]"),
            new Example("death-notice", DeathNotice.class.getName(), "measures when all are told of a death  [kill|halt|exit]"));

    private Examples() {}

    /**
     * One entry of the catalogue.
     *
     * @param name the short name, lower case
     * @param mainClass the binary name of the class whose {@code main} starts it
     * @param summary one line: what it shows, then its optional arguments in brackets
     */
    public record Example(String name, String mainClass, String summary) {}

    /** All examples, the simplest first. The list cannot be changed. */
    public static List<Example> all() {
        return ALL;
    }

    /** The main class of the example called {@code name}, exactly as {@link #all} spells it; empty if there is none. */
    public static Optional<String> mainClass(String name) {
        return ALL.stream()
                .filter(example -> example.name().equals(name))
                .map(Example::mainClass)
                .findFirst();
    }
}
