/** The same without MPI. */
public final class Plain {
    public static void main(String[] args) {
        System.out.println("hello");
    }
}
