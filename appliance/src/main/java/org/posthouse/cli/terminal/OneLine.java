package org.posthouse.cli.terminal;

/** Text that anybody may have written, in a log or in a frame, as it is shown to people: in its line, and without orders to their terminal. Stateless. */
public final class OneLine {
    private OneLine() {}

    /** With characters that no terminal shows as such by their numbers: {@code \\u001b}. */
    public static String of(String text) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isShown(c)) {
                line.append(c);
            } else {
                line.append(String.format("\\u%04x", (int) c));
            }
        }
        return line.toString();
    }

    private static boolean isShown(char c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
